import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { stringify } from 'yaml'
import { mapConfig } from '../../../src/import/litellm/map-config.ts'
import { readLitellmFile } from '../../../src/import/litellm/read-file.ts'
import { reportLines } from '../../../src/import/report.ts'
import { readBuiltinRegistry } from '../../../src/store/control/seed-registry.ts'

const FOLDER = join(import.meta.dirname, 'corpus')
export const EXPECTED = join(import.meta.dirname, 'expected')

export const CORPUS = globSync('*.yaml', { cwd: FOLDER }).sort()

/** What is set where the import runs; the values are no secrets. */
export const ENVIRONMENT = {
  LITELLM_MASTER_KEY: 'sk-corpus-master-key-1',
  AZURE_API_BASE: 'https://other.openai.azure.com',
  OWN_BASE: 'https://llm-3.example.com/v1',
  NOVA_REGION: 'us-east-1',
  CHOSEN_MODEL: 'openai/gpt-4o',
  TEMPERATURE: '0.3',
  LITELLM_ENVIRONMENT: 'staging',
}

const builtin = readBuiltinRegistry()

export async function importCorpus(file: string) {
  const source = await readLitellmFile(join(FOLDER, file), (path) => readFileSync(path, 'utf8'))
  return { source, ...mapConfig(source, { environment: ENVIRONMENT, now: Date.UTC(2026, 10, 18), builtin }) }
}

type Imported = Awaited<ReturnType<typeof importCorpus>>

/** The report as comments, then the file: what a reviewer reads. */
export function goldenText({ config, findings, variables }: Imported): string {
  const needed = variables.map(({ name, secret, why }) => `  ${name}: ${secret === null ? why : `${why} (kept)`}`)
  const lines = [...reportLines(findings), '', 'Variables', ...needed]
  return `${lines.map((line) => `# ${line}`.trimEnd()).join('\n')}\n\n${stringify(config, { aliasDuplicateObjects: false })}`
}

export function goldenPath(file: string): string {
  return join(EXPECTED, basename(file))
}

const SERVICE_ACCOUNT = JSON.stringify({ client_email: 'a@b.example', private_key: 'x' })
/** What must be of a certain form. */
const REAL = {
  LITELLM_CA: rootCertificates[0],
  VERTEX_AI_SERVICE_ACCOUNT: SERVICE_ACCOUNT,
  LITELLM_VERTEX_AI_SERVICE_ACCOUNT: SERVICE_ACCOUNT,
  GOOGLE_PROJECT: 'my-project',
  SLACK_WEBHOOK_URL: 'https://hooks.slack.com/services/T0/B0/x',
}

/** An environment in which every variable is set. */
export function filledFor(variables: Imported['variables']): Record<string, string | undefined> {
  const filled = Object.fromEntries(variables.map(({ name, secret }) => [name, secret ?? 'a-filled-in-value']))
  return { ...filled, ...REAL, ...ENVIRONMENT }
}
