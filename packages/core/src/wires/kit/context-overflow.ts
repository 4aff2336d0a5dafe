/**
 * An input that is longer than the model's window. Agents shorten their history and go on if they are told so in words that
 * they know: OpenAI's clients look at the code, Claude Code at the message.
 */
import type { ApiError } from '../../model/answer.ts'

export const overflowCode = 'context_length_exceeded'

/** As Anthropic, OpenAI, vLLM, Mistral, DeepSeek, llama.cpp and Ollama say it, as of November 2026. */
const words =
  /prompt is too long|maximum context length|exceeds? (?:the )?(?:available )?context (?:size|length|window|limit)/i

export function saysOverflow({ code, message }: ApiError): boolean {
  return code === undefined ? words.test(message) : code === overflowCode
}
