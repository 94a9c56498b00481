import type { Workspace } from './workspace.ts'

type ContentSettings = NonNullable<Workspace['content']>
export type Redaction = ContentSettings['redact'][number]

/** Whether and how content is stored, as a form holds it. */
export interface ContentForm {
  isOn: boolean
  days: number | string
  redact: Redaction[]
  /** A line each: name, colon, pattern. */
  patterns: string
}

export const REDACTIONS: readonly { value: Redaction; label: string }[] = [
  { value: 'secret', label: 'Keys and tokens' },
  { value: 'card', label: 'Card numbers' },
  { value: 'iban', label: 'Bank accounts' },
  { value: 'email', label: 'E-mail addresses' },
  { value: 'phone', label: 'Phone numbers' },
  { value: 'ip', label: 'IP addresses' },
]

export function contentForm(content: Workspace['content']): ContentForm {
  const { retention_days = 7, redact = ['secret', 'card'], patterns = [] } = content ?? {}
  const lines = patterns.map(({ name, regex }) => `${name}: ${regex}`)
  return { isOn: content !== null, days: retention_days, redact: [...redact], patterns: lines.join('\n') }
}

export function contentOf({ isOn, days, redact, patterns }: ContentForm): Workspace['content'] {
  if (!isOn) return null
  const lines = patterns.split('\n').filter((line) => line.trim() !== '')
  return {
    retention_days: Number(days),
    redact,
    patterns: lines.map((line) => {
      const [name = ''] = line.split(':', 1)
      return { name: name.trim(), regex: line.slice(name.length + 1).trim() }
    }),
  }
}
