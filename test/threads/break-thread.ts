import { existsSync } from 'node:fs'
import { isMainThread, workerData } from 'node:worker_threads'

/** Preloaded into a gateway: its second serving thread breaks, in the way named, once a file of that name exists. */
const { BREAK_THREAD: file } = process.env

function breakAs(how: string): void {
  if (how === 'throws') throw new Error('broken by a test')
  if (how === 'exits') process.exit(3)
  const kept: unknown[] = []
  for (;;) kept.push(Array.from({ length: 100_000 }, () => ({ kept })))
}

if (file !== undefined && !isMainThread && workerData?.thread === 2) {
  setInterval(() => {
    for (const how of ['throws', 'exits', 'fills its heap']) if (existsSync(`${file}-${how}`)) breakAs(how)
  }, 20)
}
