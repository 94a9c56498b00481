import type { ApiError } from './client.ts'

/** The gateway's text about one field of the body: `limits.rpm: at least 1` → `at least 1` at limits.rpm. */
export interface Problem {
  /** Null: it is about the whole. */
  field: string | null
  text: string
}

export function problemOf(error: Pick<ApiError, 'message'> | null): Problem | null {
  if (error === null) return null
  const match = /^([a-z_]+(?:(?:\.[a-z_0-9]+|\[\d+\])*)): (.+)$/s.exec(error.message)
  if (match === null) return { field: null, text: error.message }
  return { field: match[1] ?? null, text: match[2] ?? error.message }
}

/** The error of a field: the gateway's text if it is about this field or a part of it. */
export function problemAt(error: Pick<ApiError, 'message'> | null, field: string): string | undefined {
  const problem = problemOf(error)
  if (problem === null || problem.field === null) return undefined
  const isHere =
    problem.field === field || problem.field.startsWith(`${field}.`) || problem.field.startsWith(`${field}[`)
  return isHere ? problem.text : undefined
}

/** The error below the form: one that is about none of its fields. */
export function problemElsewhere(error: Pick<ApiError, 'message'> | null, fields: readonly string[]): string | null {
  if (error === null || fields.some((field) => problemAt(error, field) !== undefined)) return null
  return error.message
}
