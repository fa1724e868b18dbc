// late returns what must not come any more of messages that came after a call was cancelled. A
// progress may have been on its way, and the word that a question is withdrawn comes on another
// stream; an answer, or a second progress, is one too many.
export function late(messages) {
  const rest = messages.filter(m => m.method !== 'notifications/cancelled');
  const i = rest.findIndex(m => m.method === 'notifications/progress');
  return rest.filter((_, k) => k !== i);
}
