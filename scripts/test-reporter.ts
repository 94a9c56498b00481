import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** At most this much is printed of one failure: a megabyte that differs must not push the rest out of sight. */
const MOST_LETTERS = 8_000
const SLOWEST_SHOWN = 10

/** One line per file as it ends, then the slowest files, every failure with its reason, the sums, and the failures again. */
export default async function* report(events: AsyncIterable<TestEvent>, total: number): AsyncGenerator<string> {
  const failures: Failure[] = []
  const durations: [file: string, seconds: string][] = []
  const written = new Map<string, string>()
  for await (const { type, data } of events) {
    if (type === 'test:stderr')
      written.set(data.file, `${written.get(data.file) ?? ''}${data.message}`.slice(-MOST_LETTERS))
    if (type === 'test:fail' && !isSuiteOfFailures(data.details.error)) failures.push(failureOf(data, written))
    // Of a whole file: these events come at once, all others in the order in which the files began.
    if (type === 'test:complete' && data.name === data.file) {
      const seconds = (data.details.duration_ms / 1000).toFixed(1).padStart(6)
      durations.push([relative('.', data.file), seconds])
      const done = String(durations.length).padStart(String(total).length)
      yield `${data.details.passed ? '✔' : '✖'} ${done}/${total} ${seconds} s  ${relative('.', data.file)}\n`
    }
    if (type === 'test:summary' && data.file === undefined) {
      process.exitCode = data.success ? 0 : 1
      yield* summary(data, failures, durations)
    }
  }
}

function* summary({ counts, duration_ms }: Summary, failures: Failure[], durations: [string, string][]) {
  const slowest = durations.sort((a, b) => Number(b[1]) - Number(a[1])).slice(0, SLOWEST_SHOWN)
  yield `\nThe slowest files:\n${slowest.map(([file, seconds]) => `${seconds} s  ${file}\n`).join('')}`
  for (const { name, why } of failures) yield `\n${name}\n${why}\n`
  const failed = counts.tests - counts.passed - counts.skipped - counts.todo
  yield `\n${counts.tests} tests in ${(duration_ms / 1000).toFixed(1)} s\n`
  yield `${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped\n`
  for (const { name } of failures) yield `${name}\n`
}

type Summary = Extract<TestEvent, { type: 'test:summary' }>['data']
type Failed = Extract<TestEvent, { type: 'test:fail' }>['data']

/** A suite fails because a test in it did; that one is reported. */
function isSuiteOfFailures(error: unknown): boolean {
  return error instanceof Error && 'failureType' in error && error.failureType === 'subtestsFailed'
}

interface Failure {
  name: string
  why: string
}

/** A file that fails as a whole, for example because it cannot be loaded, has said why on standard error. */
function failureOf({ name, file, line, details }: Failed, written: ReadonlyMap<string, string>): Failure {
  const { error } = details
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const why = inspect(cause, { depth: 6, maxStringLength: 2_000 })
  const output = name === file ? `\n${written.get(name) ?? ''}` : ''
  return {
    name: `✖ ${name}\n  ${file ?? ''}:${line ?? ''}`,
    why: (why.length <= MOST_LETTERS ? why : `${why.slice(0, MOST_LETTERS)} …`) + output,
  }
}
