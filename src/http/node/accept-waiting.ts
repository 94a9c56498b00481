const SHORT_TURN_MS = 0.2
const MOST_TURNS = 200

/**
 * When we stop listening, the system resets connections that wait to be accepted, even if they have sent something. So
 * they are accepted first, and we stop in a turn so short that hardly any can have come since.
 */
export async function acceptWaiting(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const began = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    if (turn > 0 && performance.now() - began < SHORT_TURN_MS) return
  }
}
