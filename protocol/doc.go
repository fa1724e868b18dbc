package protocol

//go:generate go run ./internal/codecgen
