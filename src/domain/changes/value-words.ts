/** Words for one value that changed; null on either side means that it was not set. */
export interface Wording {
  /** How a value reads in the sentence. */
  text?: (value: unknown) => string
  /** After both numbers: `Timeout raised from 60 to 120 s`. */
  unit?: string
  /** Too long for a sentence: only that it changed is said. */
  isLong?: boolean
}

export function valueWords(label: string, before: unknown, after: unknown, wording: Wording = {}): string[] {
  if (isSame(before, after)) return []
  const { text = plainText, unit, isLong } = wording
  const whole = (value: unknown) => (unit === undefined ? text(value) : `${text(value)} ${unit}`)
  if (typeof (before ?? after) === 'boolean' && typeof (after ?? before) === 'boolean') return [switched(label, after)]
  if (isLong) return [`${label} ${isUnset(before) ? 'added' : isUnset(after) ? 'removed' : 'changed'}`]
  if (isUnset(before)) return [`${label} set to ${whole(after)}`]
  if (isUnset(after)) return [`${label} removed (was ${whole(before)})`]
  if (isTexts(before) && isTexts(after)) return [listWords(label, before, after)]
  return [`${label} ${direction(before, after)} from ${text(before)} to ${whole(after)}`]
}

function switched(label: string, after: unknown): string {
  return isUnset(after) ? `${label} reset to the default` : `${label} turned ${after === true ? 'on' : 'off'}`
}

function listWords(label: string, before: readonly string[], after: readonly string[]): string {
  const added = after.filter((each) => !before.includes(each))
  const removed = before.filter((each) => !after.includes(each))
  const parts = [
    ...(added.length === 0 ? [] : [`added ${added.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`removed ${removed.join(', ')}`]),
  ]
  return `${label}: ${parts.length === 0 ? 'order changed' : parts.join('; ')}`
}

/** Amounts of money are decimal strings. */
function direction(before: unknown, after: unknown): 'raised' | 'lowered' | 'changed' {
  if (!isNumeric(before) || !isNumeric(after) || Number(before) === Number(after)) return 'changed'
  return Number(after) > Number(before) ? 'raised' : 'lowered'
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value))
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
}

/** An empty list or object holds nothing, like null. */
export function isUnset(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

export function isSame(before: unknown, after: unknown): boolean {
  return (isUnset(before) && isUnset(after)) || JSON.stringify(before) === JSON.stringify(after)
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:[\d.]+)?Z$/

export function plainText(value: unknown): string {
  if (isUnset(value)) return 'nothing'
  if (Array.isArray(value)) return value.map(plainText).join(', ')
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value)
  return TIMESTAMP.test(text) ? `${text.slice(0, 10)} ${text.slice(11, 16)} UTC` : text
}

export function seconds(ms: unknown): string {
  return String(Number(ms) / 1000)
}

/** What a field without words of its own is called: `role_from` → "Role from". */
export function labelOf(field: string): string {
  const words = field.replaceAll('_', ' ').replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A JSON object, or an empty one for anything else. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
