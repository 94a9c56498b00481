import { setPriority } from 'node:os'

/** On one core the thread that serves comes first. For worker threads; 0 is usual, 19 the most patient. */
export function yieldToServing(niceness: number): void {
  // On Linux this is about the calling thread alone; elsewhere it would slow down the whole gateway.
  if (process.platform !== 'linux') return
  try {
    setPriority(niceness)
  } catch {
    // A sandbox may forbid it: then all threads are equal.
  }
}
