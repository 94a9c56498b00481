/** One line of the doctor: what was looked at, and what to do when it is not as it should be. */
export interface Check {
  name: string
  ok: boolean
  /** What was found; of a problem also what to do. */
  message: string
}

export function good(name: string, message: string): Check {
  return { name, ok: true, message }
}

export function problem(name: string, message: string): Check {
  return { name, ok: false, message }
}

/** A check that breaks is a problem in itself. */
export async function attempt(name: string, check: () => Check | Check[] | Promise<Check | Check[]>): Promise<Check[]> {
  try {
    return [await check()].flat()
  } catch (error) {
    return [problem(name, error instanceof Error ? error.message : String(error))]
  }
}
