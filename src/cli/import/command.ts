import type { Command, OptionSpec } from '../command.ts'
import { YES } from '../confirm.ts'

const out: OptionSpec = {
  type: 'string',
  placeholder: 'FILE',
  help: 'Write the configuration, for example to switchyard.yaml',
}
/** Node takes --env-file for itself, wherever it is. */
const SECRETS_FILE: OptionSpec = {
  type: 'string',
  placeholder: 'FILE',
  help: 'Write the secrets that were read, as variables, to a new file that only you can read',
}
const accept: OptionSpec = {
  type: 'string',
  values: ['looser'],
  placeholder: 'looser',
  help: 'Also apply what allows more than before',
}
const apply: OptionSpec = { type: 'boolean', help: 'Apply it to a running gateway, after showing the plan' }

/** What reads YAML and the registry is loaded only when it is needed. */
export const importLitellm: Command = {
  name: 'import litellm',
  summary: 'Map a configuration of LiteLLM to ours and report every setting; exit code 3 if something needs attention',
  positionals: [{ name: 'FILE' }],
  options: {
    out,
    'secrets-file': SECRETS_FILE,
    prices: {
      type: 'string',
      placeholder: 'FILE',
      help: "LiteLLM's model_prices_and_context_window.json, for equal costs",
    },
    database: {
      type: 'string',
      placeholder: 'URL',
      help: 'The database of LiteLLM, postgres://USER@HOST/NAME, for keys, teams and budgets',
    },
    'salt-key-file': { type: 'string', placeholder: 'FILE', help: 'File with its LITELLM_SALT_KEY, or its master key' },
    accept,
    strict: { type: 'boolean', help: 'Import keys that would be looser as paused' },
    apply,
    yes: YES,
  },
  examples: [
    'switchyard import litellm config.yaml',
    'switchyard import litellm config.yaml --out switchyard.yaml --secrets-file secrets.env',
    'switchyard import litellm config.yaml --database postgres://reader@db/litellm --apply',
  ],
  isRemote: true,
  run: async (given) => (await import('./litellm.ts')).runImport(given),
}

export const importOneApi: Command = {
  name: 'import one-api',
  summary: 'Map keys, channels and quotas of one-api or new-api to ours, from their SQLite file',
  positionals: [{ name: 'FILE' }],
  options: { out, 'secrets-file': SECRETS_FILE, accept, apply, yes: YES },
  examples: ['switchyard import one-api one-api.db', 'switchyard import one-api one-api.db --apply'],
  isRemote: true,
  run: async (given) => (await import('./one-api.ts')).runOneApi(given),
}
