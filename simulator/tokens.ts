const CHARACTERS_PER_TOKEN = 4

/** Not a tokenizer: four characters are one token, so that a test can work out every figure by hand. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

export function cutToTokens(text: string, tokens: number): string {
  return text.slice(0, tokens * CHARACTERS_PER_TOKEN)
}

/** Everything the model reads, without image and file data, which would count as millions of tokens. */
export function countPromptTokens(...parts: unknown[]): number {
  let tokens = 0
  for (const part of parts) {
    if (part !== undefined) tokens += countTokens(JSON.stringify(part, withoutFileData))
  }
  return tokens
}

const FILE_KEYS = new Set(['data', 'url', 'file_data'])

function withoutFileData(key: string, value: unknown): unknown {
  return FILE_KEYS.has(key) && typeof value === 'string' ? 'file' : value
}
