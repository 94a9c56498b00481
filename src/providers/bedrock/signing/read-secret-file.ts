import { AuthorizationError, type TokenTools } from '../../authorization.ts'

/** A file that the platform writes, and renews. */
export async function readSecretFile(path: string, variable: string, { readFile }: TokenTools): Promise<string> {
  try {
    return (await readFile(path)).trim()
  } catch {
    throw new AuthorizationError(`The file that ${variable} names cannot be read.`)
  }
}
