package lifecycle

const KindClient = kindClient

type None = none
