const stopped = Promise.withResolvers<void>()
let isHeard = false
let stopping = false
let hurry: (() => void) | null = null
/** Until the demo serves it has nothing to finish, and its folder is removed when the process exits. */
let endsAtOnce = process.argv[2] === 'demo'

/** Resolves at the first SIGTERM or SIGINT; a further one ends the process at once. */
export function stopSignal(): Promise<void> {
  if (!isHeard) {
    isHeard = true
    // Never taken off again: a signal that waits for a busy thread would be lost with its listener.
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  }
  return stopped.promise
}

/** Resolves at the next one, which until then ends a wait and not yet the process. */
export function secondSignal(over: AbortSignal): Promise<void> {
  const hurried = Promise.withResolvers<void>()
  hurry = hurried.resolve
  over.addEventListener('abort', () => {
    hurry = null
  })
  return hurried.promise
}

function onSignal(): void {
  if (hurry !== null) {
    hurry()
    hurry = null
    return
  }
  if (stopping) process.exit(1)
  stopping = true
  if (endsAtOnce) {
    sayDemoEnds()
    process.exit(0)
  }
  stopped.resolve()
}

/** The demo serves: from now on it finishes what it does before it ends. */
export async function demoStopped(): Promise<void> {
  endsAtOnce = false
  await stopped.promise
  sayDemoEnds()
}

/** A demo ends with its terminal; a gateway may outlive its own. */
export function endWithTerminal(): void {
  if (process.stderr.isTTY) process.on('SIGHUP', onSignal)
}

/** One line after Ctrl-C, over the line of the progress. */
function sayDemoEnds(): void {
  process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}  The demo ends and removes its data.\n`)
}

// Registered before the rest of the program is loaded: an early stop is obeyed once there is something to stop.
if (process.argv[2] === 'serve' || process.argv[2] === 'demo') void stopSignal()
