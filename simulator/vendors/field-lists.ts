/** Every vendor takes these. */
const COMMON = [
  'model',
  'messages',
  'stream',
  'temperature',
  'top_p',
  'max_tokens',
  'stop',
  'tools',
  'tool_choice',
  'response_format',
  'presence_penalty',
  'frequency_penalty',
]

export function fields(...more: string[]): ReadonlySet<string> {
  return new Set([...COMMON, ...more])
}
