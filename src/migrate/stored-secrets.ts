import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { channelFromRow, listChannels } from '../store/control/alert-channels.ts'
import { providerFromRow, sealedIn } from '../store/control/providers.ts'
import type { AlertChannelRow, Database, ProviderRow } from '../store/engine/schema.ts'
import { openSecrets, SECRETS_FILE } from '../store/engine/secrets.ts'
import { StoreError } from '../store/engine/store-error.ts'

/** Which keys open the stored secrets: those of SECRETS_KEY, that of the file in the data folder, or it takes both. */
export interface NeededKeys {
  environment: boolean
  /** Its path; null when it is not needed. */
  file: string | null
}

/**
 * The target gets the secrets as they are, encrypted: a key that cannot open them here could not there either. A
 * StoreError names what has a secret that no key opens.
 */
export async function neededKeys(
  db: Kysely<Database>,
  dataDir: string,
  environmentKeys: readonly string[] | null,
): Promise<NeededKeys> {
  const path = join(dataDir, SECRETS_FILE)
  const hasFile = existsSync(path)
  const rows = await db.selectFrom('providers').selectAll().execute()
  const channels = (await listChannels(db)).filter((row) => row.secret_encrypted !== null)
  const sealed = [...rows.filter((row) => sealedIn(row).length > 0), ...channels]
  if (environmentKeys === null && !hasFile) {
    if (sealed.length === 0) return { environment: false, file: null }
    throw new StoreError(`the stored secrets were encrypted with SECRETS_KEY: set it as the gateway had it`)
  }
  opens(sealed, dataDir, environmentKeys)
  const needsFile = environmentKeys === null || (hasFile && !opensAlone(sealed, path, environmentKeys))
  return { environment: environmentKeys !== null, file: needsFile ? path : null }
}

type Sealed = ProviderRow | AlertChannelRow

function opens(sealed: readonly Sealed[], dataDir: string, keys: readonly string[] | null): void {
  const secrets = openSecrets(dataDir, keys)
  for (const row of sealed) {
    if ('family' in row) providerFromRow(row, secrets)
    else channelFromRow(row, secrets)
  }
}

/** In a folder that cannot be there, the keys of the environment are on their own. */
function opensAlone(sealed: readonly Sealed[], file: string, keys: readonly string[]): boolean {
  try {
    opens(sealed, join(file, 'none'), keys)
    return true
  } catch {
    return false
  }
}
