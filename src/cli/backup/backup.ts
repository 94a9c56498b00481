import { readSettings } from '../../app/config.ts'
import { backUp } from '../../migrate/back-up.ts'
import { restoreBackup as putBack } from '../../migrate/restore-backup.ts'
import { CliError } from '../cli-error.ts'
import type { Given } from '../command.ts'

/** One file with all that the embedded gateway of DATA_DIR knows, also while it runs. */
export async function backup({ environment, output, positionals }: Given): Promise<number> {
  const [file = ''] = positionals
  const done = await backUp({
    dataDir: embeddedFolder(environment),
    file,
    onDamage({ path, records, bytes }) {
      if (records > 0) output.note(`${records} records are missing: the last ${bytes} bytes of ${path} cannot be read`)
    },
  })
  if (output.isJson) output.json({ file, ...done })
  else output.line(`${file}: ${done.requests.toLocaleString('en')} requests, ${done.bytes.toLocaleString('en')} bytes`)
  output.note(
    'Keep the key of the stored secrets (SECRETS_KEY, or secrets.key in DATA_DIR) elsewhere: it is not in there.',
  )
  return 0
}

export async function restoreBackup({ environment, output, positionals }: Given): Promise<number> {
  const [file = ''] = positionals
  const dataDir = embeddedFolder(environment)
  const secretsKeys =
    readSettings(environment)
      .SECRETS_KEY?.split(',')
      .map((key) => key.trim()) ?? null
  const { secretsProblem, ...restored } = await putBack({ file, dataDir, secretsKeys })
  const newest = restored.newest === null ? null : new Date(restored.newest).toISOString()
  if (output.isJson)
    output.json({ data_dir: dataDir, requests: restored.requests, newest, secrets_problem: secretsProblem })
  else {
    const upTo = newest === null ? '' : `, the newest of ${newest}`
    output.line(`${dataDir}: ${restored.requests.toLocaleString('en')} requests${upTo}`)
  }
  if (secretsProblem !== null) {
    output.note(output.bad(`The stored secrets cannot be read yet: ${secretsProblem}`))
    output.note('Put secrets.key into DATA_DIR, or set SECRETS_KEY, as the gateway had it, before you start it.')
  }
  output.note('Start the gateway, then run: switchyard verify')
  return 0
}

function embeddedFolder(environment: Given['environment']): string {
  const { DATABASE_URL: url, DATA_DIR: dataDir } = readSettings(environment)
  if (url === undefined) return dataDir
  throw new CliError('this gateway keeps its data in PostgreSQL: use pg_dump (docs/running/backup.md)', 2)
}
