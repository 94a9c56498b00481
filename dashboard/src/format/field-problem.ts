/** The part of an error that the form knows of. */
export interface Refusal {
  message: string
}

/**
 * The gateway names the place of a mistake before a colon (`headers.x-team: not a header name`). What it says of this
 * field, for the line below the field; undefined when it is about something else.
 */
export function fieldProblem(error: Refusal | null, field: string): string | undefined {
  if (error === null || !error.message.startsWith(field)) return undefined
  const rest = error.message.slice(field.length)
  if (rest.startsWith(': ')) return rest.slice(2)
  // A mistake inside of it: say where.
  return rest.startsWith('.') || rest.startsWith('[') ? rest.replace(/^\./, '') : undefined
}

/** What stands at none of these fields, and therefore below the form. */
export function otherProblem(error: Refusal | null, fields: readonly string[]): string | null {
  if (error === null || fields.some((field) => fieldProblem(error, field) !== undefined)) return null
  return error.message
}
