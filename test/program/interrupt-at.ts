import { isMainThread } from 'node:worker_threads'

/** Preloaded: Ctrl-C comes in the moment in which the program writes this to standard error. */
const { INTERRUPT_AT: moment } = process.env
const { write } = process.stderr

if (moment !== undefined && isMainThread) {
  process.stderr.write = ((text: string, ...more: []) => {
    const isTaken = write.call(process.stderr, text, ...more)
    if (text.includes(moment)) process.kill(process.pid, 'SIGINT')
    return isTaken
  }) as typeof write
}
