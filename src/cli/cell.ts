import { oneLine } from '../domain/wording/one-line.ts'

/** A value of the API in one line for people. */
export function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'string') return oneLine(value.replace(TIME, '$1 $2'))
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(item).join(value.some(isPlace) ? ' → ' : ', ')
  if (typeof value === 'object') return item(value)
  return String(value)
}

/** RFC 3339, shortened: `2026-11-15 03:24:38`, in UTC. */
const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/

function item(value: unknown): string {
  if (isGroup(value)) return `(${value.balance}: ${value.members.map(item).join(' | ')})`
  if (isEntry(value)) return `${value.provider}/${value.model}${weightOf(value)}`
  if (typeof value !== 'object' || value === null) return cell(value)
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${cell(inner)}`)
    .join(', ')
}

/** Of a chain. */
function isPlace(value: unknown): boolean {
  return isEntry(value) || isGroup(value)
}

function isGroup(value: unknown): value is { balance: string; members: unknown[] } {
  return typeof value === 'object' && value !== null && 'balance' in value && 'members' in value
}

/** As the option `--entry` takes it. */
function weightOf({ weight = 1 }: { weight?: number }): string {
  return weight === 1 ? '' : `,weight=${weight}`
}

function isEntry(value: unknown): value is { provider: string; model: string; weight?: number } {
  return typeof value === 'object' && value !== null && 'provider' in value && 'model' in value
}
