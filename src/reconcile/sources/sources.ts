import { anthropicCosts, anthropicUsage } from './anthropic.ts'
import { awsCur } from './aws-cur.ts'
import { focus } from './focus.ts'
import { genericCsv } from './generic.ts'
import { google } from './google.ts'
import { openaiCosts, openaiUsage } from './openai.ts'
import type { ReportSource } from './source.ts'

/** Every form of report that can be imported, by the name that people give it. */
export const REPORT_SOURCES = {
  csv: genericCsv,
  'openai-usage': openaiUsage,
  'openai-costs': openaiCosts,
  'anthropic-usage': anthropicUsage,
  'anthropic-costs': anthropicCosts,
  'aws-cur': awsCur,
  focus,
  google,
} as const satisfies Record<string, ReportSource>

export type SourceName = keyof typeof REPORT_SOURCES

export function sourceOf(name: string): ReportSource {
  return REPORT_SOURCES[name as SourceName]
}
