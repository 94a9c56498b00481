import { setTimeout as sleep } from 'node:timers/promises'

/** What is made in one go, and how often the clock is looked at. */
const STEP_MS = 1
const LOOK_EVERY = 10
/** At least as long as a step: the thread that serves calls gives them no more than half of its time. */
const PAUSE_MS = 1

/** `items.map(each)` for thousands of items on the thread that serves calls: between steps it serves them. */
export async function mapInTurns<Item, Made>(items: readonly Item[], each: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = []
  let since = performance.now()
  for (const [at, item] of items.entries()) {
    made.push(each(item))
    if (at % LOOK_EVERY !== 0 || performance.now() - since < STEP_MS) continue
    await sleep(PAUSE_MS)
    since = performance.now()
  }
  return made
}
