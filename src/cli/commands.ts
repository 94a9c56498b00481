import { CONTRACT } from '../management/contract/contract.ts'
import type { Command, Refinement } from './command.ts'
import { compare } from './compare.ts'
import { completionScript, SHELLS, type Shell } from './completion.ts'
import { configCommands } from './config-commands.ts'
import { connect } from './connect/connect.ts'
import { deriveCommand } from './derive-command.ts'
import { feed } from './feed/feed.ts'
import { history } from './history.ts'
import { importLitellm, importOneApi } from './import/command.ts'
import { reconcileFetch } from './reconcile/fetch.ts'
import { alertRefinements } from './refinements/alert-refinements.ts'
import { budgetRefinements } from './refinements/budget-refinements.ts'
import { keyRefinements } from './refinements/key-refinements.ts'
import { logRefinements } from './refinements/log-refinements.ts'
import { monthRefinements } from './refinements/month-refinements.ts'
import { myKeyRefinements } from './refinements/my-key-refinements.ts'
import { performanceRefinements } from './refinements/performance-refinements.ts'
import { providerRefinements } from './refinements/provider-refinements.ts'
import { reconcileRefinements } from './refinements/reconcile-refinements.ts'
import { registryRefinements } from './refinements/registry-refinements.ts'
import { routeRefinements } from './refinements/route-refinements.ts'
import { tokenRefinements } from './refinements/token-refinements.ts'
import { token } from './tokens/token.ts'

const REFINEMENTS: Readonly<Record<string, Refinement>> = {
  ...keyRefinements,
  ...tokenRefinements,
  ...myKeyRefinements,
  ...routeRefinements,
  ...providerRefinements,
  ...registryRefinements,
  ...logRefinements,
  ...performanceRefinements,
  ...budgetRefinements,
  ...reconcileRefinements,
  ...monthRefinements,
  ...alertRefinements,
}

/** What starts a server or looks at the machine; loaded only when asked for, for they bring the whole gateway along. */
const localCommands: readonly Command[] = [
  local({
    name: 'serve',
    summary: 'Start the gateway (settings: docs/configuration.md)',
    examples: ['switchyard serve', 'PORT=9000 DATA_DIR=/var/lib/switchyard switchyard serve'],
    run: async ({ environment }) => (await import('./serve.ts')).serve(environment).then(() => 0),
  }),
  local({
    name: 'demo',
    summary: 'Start a demo with simulated providers and live traffic',
    examples: ['switchyard demo', 'PORT=9000 switchyard demo'],
    run: async ({ environment }) => (await import('./demo.ts')).demo(environment).then(() => 0),
  }),
  local({
    name: 'doctor',
    summary: 'Check this machine, its data folder, configuration and providers; works without a running gateway',
    examples: ['switchyard doctor', 'switchyard doctor --json'],
    options: { json: { type: 'boolean', help: 'Print the checks as JSON' } },
    run: async (given) => (await import('./doctor.ts')).doctor(given),
  }),
  local({
    name: 'prove',
    summary:
      'Try the promises of the gateway on this machine, with simulated providers; takes minutes and leaves nothing behind',
    examples: [
      'switchyard prove',
      'switchyard prove --quick --page verdict.html',
      'switchyard prove --only budget --seed 7',
      'TARGET_ADMIN_KEY=sk-… switchyard prove --target http://localhost:4000 --dialect litellm',
    ],
    options: {
      quick: { type: 'boolean', help: 'A part of the calls: half a minute' },
      only: { type: 'string', placeholder: 'NAME', help: 'One of the proofs' },
      seed: { type: 'string', placeholder: 'NUMBER', help: 'Repeat a run' },
      page: { type: 'string', placeholder: 'FILE', help: 'Write the verdict as an HTML page as well' },
      target: {
        type: 'string',
        placeholder: 'URL',
        help: 'Ask another gateway what can be asked over HTTP; its admin key: TARGET_ADMIN_KEY',
      },
      dialect: { type: 'string', placeholder: 'NAME', help: "The target's management API: litellm" },
      'provider-host': {
        type: 'string',
        placeholder: 'ADDRESS',
        help: 'Where simulated providers listen for the target; 127.0.0.1',
      },
      pid: { type: 'string', placeholder: 'NUMBER', help: "The target's process, to watch its memory" },
      settle: { type: 'string', placeholder: 'SECONDS', help: "How long the target's log may take; 60" },
      json: { type: 'boolean', help: 'Print the verdict as JSON' },
    },
    run: async (given) => (await import('./prove.ts')).prove(given),
  }),
  local({
    name: 'migrate',
    summary: 'Move an embedded installation to PostgreSQL and compare both; resumes after an interruption',
    examples: [
      'switchyard migrate --from sqlite:./data --to postgres://switchyard@db.internal/switchyard',
      'switchyard migrate --from sqlite:./data --to postgres://switchyard@db.internal/switchyard --verify-only',
    ],
    options: {
      from: { type: 'string', placeholder: 'sqlite:DIR', help: 'The DATA_DIR to move; its gateway must be stopped' },
      to: {
        type: 'string',
        placeholder: 'URL',
        help: 'An empty database, postgres://USER@HOST/NAME; set its password in PGPASSWORD',
      },
      'verify-only': { type: 'boolean', help: 'Only compare, move nothing' },
      json: { type: 'boolean', help: 'Print the comparison as JSON' },
    },
    run: async (given) => (await import('./migrate.ts')).migrate(given),
  }),
  local({
    name: 'backup',
    summary: 'Write everything the embedded gateway of DATA_DIR knows to one file, also while it runs',
    examples: ['switchyard backup backup/switchyard-$(date +%F).db'],
    positionals: [{ name: 'FILE' }],
    options: { json: { type: 'boolean', help: 'Print the result as JSON' } },
    run: async (given) => (await import('./backup/backup.ts')).backup(given),
  }),
  local({
    name: 'backup restore',
    summary: 'Check such a file and put it into an empty DATA_DIR',
    examples: ['DATA_DIR=/var/lib/switchyard switchyard backup restore backup/switchyard-2026-11-19.db'],
    positionals: [{ name: 'FILE' }],
    options: { json: { type: 'boolean', help: 'Print the result as JSON' } },
    run: async (given) => (await import('./backup/backup.ts')).restoreBackup(given),
  }),
  local({
    name: 'spool ship',
    summary: 'Deliver the log rows of a lost gateway, from its data folder, to PostgreSQL (DATABASE_URL)',
    examples: ['DATABASE_URL=postgres://switchyard@db.internal/switchyard switchyard spool ship /var/lib/switchyard-3'],
    positionals: [{ name: 'DIR' }],
    options: { json: { type: 'boolean', help: 'Print the result as JSON' } },
    run: async (given) => (await import('./ship.ts')).ship(given),
  }),
]

const completion = local({
  name: 'completion',
  summary: 'Print a completion script for a shell',
  examples: ['source <(switchyard completion bash)', 'switchyard completion fish | source'],
  positionals: [{ name: 'SHELL', values: SHELLS }],
  async run({ output, positionals }) {
    await output.piece(completionScript(positionals[0] as Shell, commands()))
    return 0
  },
})

function local(command: Partial<Command> & Pick<Command, 'name' | 'summary' | 'examples' | 'run'>): Command {
  return { positionals: [], options: {}, isRemote: false, ...command }
}

/** Every command, in the order of the help. */
export function commands(): readonly Command[] {
  // What is public is for browsers: a command sends its key with every call and has no use for a cookie.
  const derived = Object.entries(CONTRACT).flatMap(([name, operation]) =>
    name.startsWith('config.') || operation.isPublic
      ? []
      : [
          deriveCommand(
            name,
            operation,
            REFINEMENTS[name] ?? { examples: [`switchyard ${name.replaceAll('.', ' ')}`] },
          ),
        ],
  )
  return [
    ...localCommands,
    connect,
    token,
    compare,
    reconcileFetch,
    ...configCommands,
    importLitellm,
    importOneApi,
    history,
    feed,
    ...derived,
    completion,
  ]
}
