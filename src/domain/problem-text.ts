import type { z } from 'zod'
import { named, type Worded, worded } from './wording/worded.ts'

/** `messages[0].content[2].type`, as the caller would write it. */
export function pathText(path: readonly PropertyKey[]): string {
  let result = ''
  for (const step of path) {
    if (typeof step === 'number') result += `[${step}]`
    else result += result === '' ? String(step) : `.${String(step)}`
  }
  return result
}

/** The first problem in one line: its path and what is expected. */
export function problemText(error: z.ZodError): string {
  return problemOf(error).text
}

/** The same for a caller's request. Of its schemas, only unknown fields are named in the caller's own words. */
export function problemOf(error: z.ZodError): Worded {
  const issue = mostTelling(error.issues.map(unfolded))
  if (issue === undefined) return worded`not valid`
  // A bad name of a record's field: the reason is one level deeper.
  const inner = issue.code === 'invalid_key' ? issue.issues[0] : undefined
  const path = pathText(issue.path)
  const message = inner?.message ?? inWords(issue)
  const expected = OWN_WORDS.has(issue.code) ? named(message) : message
  return path === '' ? worded`${expected}` : worded`${path}: ${expected}`
}

/** Issues whose message says what the schema expects, never what was sent. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  'invalid_type',
  'invalid_value',
  'invalid_union',
  'too_small',
  'too_big',
  'custom',
])

/** The first issue, unless it is a missing field and an unknown one was sent: most likely a typo of the missing one. */
function mostTelling(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [first] = issues
  if (first?.code !== 'invalid_type' || !first.message.endsWith('received undefined')) return first
  const place = pathText(first.path.slice(0, -1))
  return issues.find((issue) => issue.code === 'unrecognized_keys' && pathText(issue.path) === place) ?? first
}

/** Where one of several forms was expected: what is wrong with the one that was most likely meant. */
function unfolded(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union' || issue.message !== 'Invalid input') return issue
  const forms = issue.errors.map((issues) => ({ issues, strange: strangeFields(issues) }))
  const [meant] = forms.sort((a, b) => a.strange - b.strange || a.issues.length - b.issues.length)
  const inner = meant === undefined ? undefined : mostTelling(meant.issues.map(unfolded))
  return inner === undefined ? issue : { ...inner, path: [...issue.path, ...inner.path] }
}

/** How many fields a form does not know, itself and not inside. */
function strangeFields(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce(
    (count, issue) => count + (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys.length : 0),
    0,
  )
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

/** The library's own message in plain words; messages of our schemas stay as they are. */
function inWords(issue: z.core.$ZodIssue): string {
  const { message } = issue
  if (issue.code === 'unrecognized_keys' && message.startsWith('Unrecognized key')) {
    const names = issue.keys.map((key) => `"${key}"`).join(', ')
    return `unknown field${issue.keys.length === 1 ? '' : 's'} ${names}`
  }
  if (issue.code === 'invalid_type') {
    const received = /^Invalid input: expected \S+, received (\S+)$/.exec(message)?.[1]
    return received === undefined ? message : wrongType(TYPES[issue.expected] ?? issue.expected, received)
  }
  if (issue.code === 'invalid_value' && message.startsWith('Invalid option: ')) {
    return `expected one of ${issue.values.map(String).join(', ')}`
  }
  if (issue.code === 'too_small' && message.startsWith('Too small: ')) {
    return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${amount(issue.minimum, issue.origin)}`
  }
  if (issue.code === 'too_big' && message.startsWith('Too big: ')) {
    return `expected ${issue.inclusive === false ? 'less than' : 'at most'} ${amount(issue.maximum, issue.origin)}`
  }
  return message
}

function wrongType(expected: string, received: string): string {
  if (received === 'undefined') return `is missing; expected ${expected}`
  if (received === 'NaN' || expected === TYPES['int']) return `expected ${expected}`
  const hint = expected === TYPES['string'] && received === 'number' ? ': write it in quotes' : ''
  return `expected ${expected}, not ${TYPES[received] ?? received}${hint}`
}

function amount(bound: number | bigint, origin: string): string {
  const unit = { array: 'item', string: 'character' }[origin]
  return unit === undefined ? String(bound) : `${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`
}
