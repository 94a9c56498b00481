/** One mistake in the gateway's code, and the proof that must find it. */
export interface Fault {
  name: string
  /** As `switchyard prove --only` names it. */
  proof: string
  file: string
  /** What stands there, once. */
  instead: string
  write: string
}

export function fault(proof: string, name: string, file: string, instead: string, write: string): Fault {
  return { proof, name, file: `src/${file}`, instead, write }
}
