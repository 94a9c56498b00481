import { isJsonObject } from '../../domain/request/call-request.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A variable that the gateway reads at its start, and what follows it: `${OLLAMA_HOST}/v1`. */
export class Reference {
  readonly variable: string
  readonly suffix: string
  constructor(variable: string, suffix = '') {
    this.variable = variable
    this.suffix = suffix
  }
}

export type Written = string | Reference

const START = 'os.environ/'

/** `os.environ/NAME`: the variable; else null. */
export function variableOf(value: unknown): string | null {
  return typeof value === 'string' && value.startsWith(START) ? value.slice(START.length) : null
}

/** Text as our file has it; null for what is no text. */
export function writtenText(value: unknown): Written | null {
  const variable = variableOf(value)
  if (variable !== null) return new Reference(variable)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

/** A value that is needed now: what is in the variable, or undefined where that is not set. */
export function currentValue(value: unknown, environment: Environment): unknown {
  const variable = variableOf(value)
  return variable === null ? value : environment[variable] || undefined
}

export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** A configuration for YAML: references are `${NAME}`, and text that looks like one is escaped. */
export function writeOut(value: unknown): unknown {
  if (value instanceof Reference) return `\${${value.variable}}${value.suffix}`
  if (typeof value === 'string') return value.replace(/\$\{(?=[A-Za-z_][A-Za-z0-9_]*\})/g, (found) => `$${found}`)
  if (Array.isArray(value)) return value.map(writeOut)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, writeOut(item)]))
}
