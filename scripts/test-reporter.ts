import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** One line a file while it runs, every failure in full at the end, then the sums: what people and CI look for. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: string[] = []
  for await (const event of events) {
    if (event.type === 'test:fail' && !isSuiteOfFailures(event.data.details.error)) failures.push(describe(event.data))
    if (event.type !== 'test:summary') continue
    const { file, counts, duration_ms: milliseconds, success } = event.data
    const seconds = (milliseconds / 1000).toFixed(1).padStart(6)
    if (file !== undefined) {
      const tests = String(counts.tests).padStart(5)
      yield `${success ? '✔' : '✖'} ${tests} tests ${seconds} s  ${file.slice(process.cwd().length + 1)}\n`
      continue
    }
    for (const failure of failures) yield `\n${failure}\n`
    const failed = counts.tests - counts.passed - counts.skipped - counts.todo
    yield `\n${counts.tests} tests in ${seconds.trim()} s\n${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped\n`
  }
}

/** A suite fails because a test in it did; that one is told. */
function isSuiteOfFailures(error: unknown): boolean {
  return error instanceof Error && 'failureType' in error && error.failureType === 'subtestsFailed'
}

function describe(data: { name: string; file?: string; line?: number; details: { error: unknown } }): string {
  const { error } = data.details
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return `✖ ${data.name}\n  ${data.file ?? ''}:${data.line ?? ''}\n${inspect(cause, { depth: 6 })}`
}
