import type { Setting } from './edit/setting.ts'

export type Format = 'json' | 'toml' | 'yaml' | 'variables' | 'text'

export interface WrittenFile {
  /** Below the folder of the tool. */
  path: string
  /** Another name under which the tool looks first; written where it is there. */
  other?: string
  format: Format
  settings: readonly Setting[]
}

export interface Written {
  url: string
  model: string
  /** null: it comes from the variable. */
  key: string | null
  /** The folder of the tool. */
  folder: string
}

/** Which files of a tool are edited, and how. */
export interface WrittenSetup {
  /** Its folder: what this variable names, else the one below the home folder. */
  variable?: string
  folder: string
  /** Below what the variable names, where that is not the folder itself. */
  below?: string
  /** The variable that holds the key where it is not in a file; null: the tool knows none. */
  keyVariable: string | null
  files(written: Written): WrittenFile[]
}

const set = (path: string, value: Setting['value'], more: Partial<Setting> = {}): Setting => ({
  path: path.split('.'),
  value,
  ...more,
})
const secret = (path: string, key: string | null): Setting[] =>
  key === null ? [] : [set(path, key, { isSecret: true })]
const keyFile = (path: string, name: string, key: string | null): WrittenFile[] =>
  key === null ? [] : [{ path, format: 'variables', settings: secret(name, key) }]

/** By the name of the tool; one that is missing keeps its settings elsewhere. */
export const WRITTEN_SETUPS: Readonly<Record<string, WrittenSetup>> = {
  'claude-code': {
    variable: 'CLAUDE_CONFIG_DIR',
    folder: '.claude',
    keyVariable: 'ANTHROPIC_AUTH_TOKEN',
    files: ({ url, model, key }) => [
      {
        path: 'settings.json',
        format: 'json',
        settings: [
          set('env.ANTHROPIC_BASE_URL', url),
          ...secret('env.ANTHROPIC_AUTH_TOKEN', key),
          set('env.ANTHROPIC_MODEL', model),
          set('env.ANTHROPIC_DEFAULT_HAIKU_MODEL', model),
          set('env.CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC', '1'),
        ],
      },
    ],
  },
  codex: {
    variable: 'CODEX_HOME',
    folder: '.codex',
    keyVariable: 'SWITCHYARD_KEY',
    files: ({ url, model, key }) => [
      {
        path: 'config.toml',
        format: 'toml',
        settings: [
          set('model', model),
          set('model_provider', 'switchyard'),
          set('model_providers.switchyard.name', 'Switchyard'),
          set('model_providers.switchyard.base_url', `${url}/v1`),
          set('model_providers.switchyard.env_key', 'SWITCHYARD_KEY'),
          set('model_providers.switchyard.wire_api', 'responses'),
        ],
      },
      ...keyFile('.env', 'SWITCHYARD_KEY', key),
    ],
  },
  'codex-base-url': {
    variable: 'CODEX_HOME',
    folder: '.codex',
    keyVariable: null,
    files: ({ url, model, key }) => {
      const config: WrittenFile = {
        path: 'config.toml',
        format: 'toml',
        settings: [set('model', model), set('model_provider', 'openai'), set('openai_base_url', `${url}/v1`)],
      }
      if (key === null) return [config]
      const login = [set('auth_mode', 'apikey'), ...secret('OPENAI_API_KEY', key)]
      return [config, { path: 'auth.json', format: 'json', settings: login }]
    },
  },
  'gemini-cli': {
    variable: 'GEMINI_CLI_HOME',
    folder: '.gemini',
    below: '.gemini',
    keyVariable: 'GEMINI_API_KEY',
    files: ({ url, model, key }) => [
      { path: 'settings.json', format: 'json', settings: [set('security.auth.selectedType', 'gemini-api-key')] },
      {
        path: '.env',
        format: 'variables',
        settings: [set('GOOGLE_GEMINI_BASE_URL', url), ...secret('GEMINI_API_KEY', key), set('GEMINI_MODEL', model)],
      },
    ],
  },
  opencode: {
    variable: 'XDG_CONFIG_HOME',
    folder: '.config/opencode',
    below: 'opencode',
    keyVariable: 'SWITCHYARD_KEY',
    files: ({ url, model, key, folder }) => {
      const provider = (path: string, value: string, more: Partial<Setting> = {}) =>
        set(`provider.switchyard.${path}`, value, more)
      const keyPath = `${folder}/switchyard.key`
      const named: WrittenFile = {
        path: 'opencode.json',
        other: 'opencode.jsonc',
        format: 'json',
        settings: [
          provider('npm', '@ai-sdk/openai-compatible'),
          provider('name', 'Switchyard'),
          provider('options.baseURL', `${url}/v1`),
          key === null
            ? provider('options.apiKey', '{env:SWITCHYARD_KEY}', { isDefault: true })
            : provider('options.apiKey', `{file:${keyPath}}`),
          { path: ['provider', 'switchyard', 'models', model, 'name'], value: model },
          set('model', `switchyard/${model}`),
        ],
      }
      if (key === null) return [named]
      return [named, { path: 'switchyard.key', format: 'text', settings: secret('key', key) }]
    },
  },
  continue: {
    variable: 'CONTINUE_GLOBAL_DIR',
    folder: '.continue',
    keyVariable: 'SWITCHYARD_KEY',
    files: ({ url, model, key }) => {
      const ours = (name: string, value: Setting['value'], more: Partial<Setting> = {}): Setting => ({
        path: ['models', { name: model }, name],
        value,
        ...more,
      })
      const settings = [
        set('name', 'Switchyard', { isDefault: true }),
        set('version', '0.0.1', { isDefault: true }),
        set('schema', 'v1', { isDefault: true }),
        ours('provider', 'openai'),
        ours('model', model),
        ours('apiBase', `${url}/v1`),
        ours('apiKey', `$\{{ secrets.SWITCHYARD_KEY }}`),
        ours('roles', ['chat', 'edit', 'apply'], { isDefault: true }),
      ]
      return [{ path: 'config.yaml', format: 'yaml', settings }, ...keyFile('.env', 'SWITCHYARD_KEY', key)]
    },
  },
  cline: {
    variable: 'CLINE_DIR',
    folder: '.cline',
    keyVariable: null,
    files: ({ url, model, key }) => {
      const ours = 'providers.openai-compatible.settings'
      return [
        {
          path: 'data/settings/providers.json',
          format: 'json',
          settings: [
            { path: ['version'], value: 1, isDefault: true },
            set('lastUsedProvider', 'openai-compatible'),
            set(`${ours}.provider`, 'openai-compatible'),
            ...secret(`${ours}.apiKey`, key),
            set(`${ours}.model`, model),
            set(`${ours}.baseUrl`, `${url}/v1`),
            set('providers.openai-compatible.updatedAt', new Date(0).toISOString(), { isDefault: true }),
            set('providers.openai-compatible.tokenSource', 'manual'),
          ],
        },
      ]
    },
  },
  aider: {
    folder: '',
    keyVariable: 'OPENAI_API_KEY',
    files: ({ url, model, key }) => [
      {
        path: '.aider.conf.yml',
        format: 'yaml',
        settings: [
          set('model', `openai/${model}`),
          set('weak-model', `openai/${model}`, { isDefault: true }),
          set('openai-api-base', `${url}/v1`),
          ...secret('openai-api-key', key),
        ],
      },
    ],
  },
}
