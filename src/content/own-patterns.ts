import { RE2JS } from 're2js'
import type { Rule } from '../domain/content/redactions.ts'
import type { ContentSettings } from '../domain/content/settings.ts'

type Pattern = ContentSettings['patterns'][number]

/** With a regex engine that runs in linear time for every pattern (docs/decisions/0044-content-and-guardrails.md). */
export function ownRule({ name, regex }: Pattern): Rule {
  const compiled = RE2JS.compile(regex)
  return { name, replace: (text, mark) => compiled.matcher(text).replaceAll(mark) }
}

/** What is wrong with the patterns; null: nothing. */
export function patternsProblem(patterns: readonly Pattern[]): string | null {
  for (const { name, regex } of patterns) {
    try {
      if (RE2JS.compile(regex).matcher('').find()) return `the pattern '${name}' also matches nothing at all`
    } catch (error) {
      return `the pattern '${name}': ${error instanceof Error ? error.message : String(error)}`
    }
  }
  return null
}
