import { anthropicFamily } from './anthropic/anthropic-family.ts'
import { bedrockFamily } from './bedrock/bedrock-family.ts'
import type { Family } from './family.ts'
import { geminiFamily } from './gemini/gemini-family.ts'
import { openaiFamily } from './openai/openai-family.ts'
import { vertexFamily } from './vertex/vertex-family.ts'

/** Every family. A new one is a folder beside these and a row here. */
export const FAMILIES: ReadonlyMap<string, Family> = new Map([
  ['openai', openaiFamily],
  ['anthropic', anthropicFamily],
  ['bedrock', bedrockFamily],
  ['gemini', geminiFamily],
  ['vertex', vertexFamily],
])
