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

/** Whether a test file may run in one process with others: what it starts ends with it. */
export function mayShareProcess(file: string): boolean {
  return !OF_THE_PROCESS.test(readFileSync(file, 'utf8'))
}

/** Whether a test file loads this file of ours, directly or through others. */
export function reaches(file: string, other: string): boolean {
  return reachedFrom(file).has(other)
}

/** Our files and packages loaded with this file. */
function reachedFrom(file: string): Set<string> {
  const reached = new Set([file])
  // A set that grows is walked to its end.
  for (const each of reached) {
    // A file that is missing fails where it is loaded.
    if (!/\.tsx?$/.test(each) || !existsSync(each)) continue
    for (const { target, isTypeOnly } of importsOf(each)) if (!isTypeOnly) reached.add(target)
  }
  return reached
}
