import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** The most that is printed of one failure: a large diff must not push the rest out of sight. */
const MOST_LETTERS = 8_000

/** One line per file while it runs, every failure at the end, then the totals and what failed. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: Failure[] = []
  for await (const event of events) {
    if (event.type === 'test:fail' && !isSuiteOfFailures(event.data.details.error)) failures.push(failureOf(event.data))
    if (event.type !== 'test:summary') continue
    const { file, counts, duration_ms: milliseconds, success } = event.data
    const seconds = (milliseconds / 1000).toFixed(1).padStart(6)
    if (file !== undefined) {
      const tests = String(counts.tests).padStart(5)
      yield `${success ? '✔' : '✖'} ${tests} tests ${seconds} s  ${file.slice(process.cwd().length + 1)}\n`
      continue
    }
    for (const { name, why } of failures) yield `\n${name}\n${why}\n`
    const failed = counts.tests - counts.passed - counts.skipped - counts.todo
    yield `\n${counts.tests} tests in ${seconds.trim()} s\n${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped\n`
    for (const { name } of failures) yield `${name}\n`
  }
}

/** A suite fails because a test in it did; only that test is reported. */
function isSuiteOfFailures(error: unknown): boolean {
  return error instanceof Error && 'failureType' in error && error.failureType === 'subtestsFailed'
}

interface Failure {
  name: string
  why: string
}

function failureOf(data: { name: string; file?: string; line?: number; details: { error: unknown } }): Failure {
  const { error } = data.details
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const why = inspect(cause, { depth: 6, maxStringLength: 2_000 })
  return {
    name: `✖ ${data.name}\n  ${data.file ?? ''}:${data.line ?? ''}`,
    why: why.length <= MOST_LETTERS ? why : `${why.slice(0, MOST_LETTERS)} …`,
  }
}
