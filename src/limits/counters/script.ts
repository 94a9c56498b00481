import { createHash } from 'node:crypto'

/** A Lua script that runs on the server in one piece: nothing else happens there meanwhile. */
export interface Script {
  readonly name: string
  readonly text: string
  readonly sha: string
}

export function defineScript(name: string, ...parts: string[]): Script {
  const text = parts.join('\n')
  return { name, text, sha: createHash('sha1').update(text).digest('hex') }
}
