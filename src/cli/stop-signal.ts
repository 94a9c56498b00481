const stopped = Promise.withResolvers<void>()
let isHeard = false
let stopping = false

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
export function stopSignal(): Promise<void> {
  if (!isHeard) {
    isHeard = true
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  }
  return stopped.promise
}

function onSignal(): void {
  if (stopping) process.exit(1)
  stopping = true
  stopped.resolve()
}

// Heard before the rest of the program is loaded: a stop that comes meanwhile is obeyed once there is something to stop.
if (process.argv[2] === 'serve' || process.argv[2] === 'demo') void stopSignal()
