import type { z } from 'zod'

/** `messages[0].content[2].type`, as the caller would write it. */
function pathText(path: readonly PropertyKey[]): string {
  let result = ''
  for (const step of path) {
    if (typeof step === 'number') result += `[${step}]`
    else result += result === '' ? String(step) : `.${String(step)}`
  }
  return result
}

/** The first thing wrong, in one line: where it stands and what would be right. */
export function problemText(error: z.ZodError): string {
  const [issue] = error.issues
  if (issue === undefined) return 'not valid'
  // A bad name of a record's field: why it is bad stands one level deeper.
  const inner = issue.code === 'invalid_key' ? issue.issues[0] : undefined
  const path = pathText(issue.path)
  const message = inner?.message ?? issue.message
  return path === '' ? message : `${path}: ${message}`
}
