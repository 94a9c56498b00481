import type { Family } from './scene.ts'

const FAMILY_NAME: Readonly<Record<Family, string>> = { openai: 'OpenAI family', anthropic: 'Anthropic family' }

/** What a row is called. The bare proxies and the direct call know one family only, so it need not be said. */
export function label({ name, family }: { name: string; family: Family }): string {
  return /^(bare|direct)/.test(name) ? name : `${name}, ${FAMILY_NAME[family]}`
}
