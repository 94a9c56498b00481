import { importsOf } from './imports.ts'

/** What can start a server, a browser or a program. */
const STARTERS = ['node:child_process', 'playwright-core']

/** Whether a test file can start another process: it reaches one of the starters through files of ours. */
export function startsProcesses(file: string): boolean {
  const reached = new Set([file])
  // A set that grows is walked to its end.
  for (const each of reached) {
    if (!/\.tsx?$/.test(each)) continue
    for (const { target, isTypeOnly } of importsOf(each)) if (!isTypeOnly) reached.add(target)
  }
  return STARTERS.some((starter) => reached.has(starter))
}
