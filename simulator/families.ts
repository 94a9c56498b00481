import { anthropicFamily } from './anthropic/anthropic.ts'
import { bedrockFamily } from './bedrock/bedrock.ts'
import type { Family } from './family.ts'
import { geminiFamily } from './gemini/gemini.ts'
import { openaiFamily } from './openai/openai.ts'

/** Every family has its own server. A new one is a folder beside these and a row here. */
export const FAMILIES = {
  openai: openaiFamily,
  anthropic: anthropicFamily,
  bedrock: bedrockFamily,
  gemini: geminiFamily,
} as const satisfies Record<string, Family>

export type FamilyName = keyof typeof FAMILIES

export const FAMILY_NAMES = Object.keys(FAMILIES) as FamilyName[]

/** A value for each family, under its name and the ending: `geminiUrl`. */
export type PerFamily<Ending extends string, Value> = Record<`${FamilyName}${Ending}`, Value>
