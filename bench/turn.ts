import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const FILE = join(tmpdir(), 'switchyard-bench.turn')
const LOOK_MS = 200

/**
 * Everything that is measured is pinned to the same core, so two runs at a time would measure each other. Whoever comes
 * second waits, but not for ever: the file of one that was killed is taken over.
 */
export async function takeTurn(mostMs: number, onWait: () => void = () => {}): Promise<Disposable> {
  const until = performance.now() + mostMs
  for (let turn = 0; !tryTake(); turn++) {
    if (turn === 0) onWait()
    if (performance.now() > until) return { [Symbol.dispose]() {} }
    await sleep(LOOK_MS)
  }
  const release = () => rmSync(FILE, { force: true })
  process.once('exit', release)
  return {
    [Symbol.dispose]() {
      process.removeListener('exit', release)
      release()
    },
  }
}

function tryTake(): boolean {
  try {
    writeFileSync(FILE, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    if (isHeld()) return false
    rmSync(FILE, { force: true })
    return false
  }
}

function isHeld(): boolean {
  try {
    process.kill(Number(readFileSync(FILE, 'utf8')), 0)
    return true
  } catch (error) {
    // Just written, or another user's: it is somebody's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
