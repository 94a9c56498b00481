import { existsSync, readFileSync } from 'node:fs'
import { importsOf } from './imports.ts'

/** What can start a server, a browser or a program. */
const STARTERS = ['node:child_process', 'playwright-core']

/** Whether a test file can start another process: it reaches one of the starters through files of ours. */
export function startsProcesses(file: string): boolean {
  const reached = reachedFrom(file)
  return STARTERS.some((starter) => reached.has(starter))
}

/** Nothing that opens, listens or runs beside the tests. */
const HARMLESS = /^node:(assert\/strict|buffer|crypto|events|fs|os|path|stream|test|url|util|zlib)$/

/** Whether a test file only computes: it takes a moment. */
export function onlyComputes(file: string): boolean {
  return [...reachedFrom(file)].every((target) => !target.startsWith('node:') || HARMLESS.test(target))
}

/** What is changed of the process is changed for all its files, and what is measured of it is measured of all. */
const OF_THE_PROCESS =
  /\bmock\b|\bprocess\.(on|once|exit|chdir|umask|memoryUsage)\b|\bprocess\.env\S* = |\bglobalThis\b|setFlagsFromString|_PROXY\b/

/** The database server or browser that they start for a file ends with it. */
const SERVERS = ['test/postgres.ts', 'test/valkey.ts', 'test/dashboard/chromium.ts']

/** Whether a test file may run in one process with others: it starts nothing but such a server. */
export function mayShareProcess(file: string): boolean {
  const reached = reachedFrom(file, SERVERS)
  return !STARTERS.some((starter) => reached.has(starter)) && !OF_THE_PROCESS.test(readFileSync(file, 'utf8'))
}

/** Whether a test file loads this file of ours, directly or through others. */
export function reaches(file: string, other: string): boolean {
  return reachedFrom(file).has(other)
}

/** Our files and packages loaded with this file, except what these others load. */
function reachedFrom(file: string, others: readonly string[] = []): Set<string> {
  const reached = new Set([file])
  // A set that grows is walked to its end.
  for (const each of reached) {
    // A file that is missing fails where it is loaded.
    if (!/\.tsx?$/.test(each) || !existsSync(each) || others.includes(each)) continue
    for (const { target, isTypeOnly } of importsOf(each)) if (!isTypeOnly) reached.add(target)
  }
  return reached
}
