import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pythonWith } from '../../test/python-package.ts'
import { PEER_KEY, type Peer } from '../run/peers.ts'
import { bearer } from '../run/scene.ts'

/** Installed when needed, never a dependency of ours. Ignored by git; removed when packages are reinstalled. */
const VERSION = '1.15.2'
const FOLDER = join(import.meta.dirname, `../../node_modules/.cache/bench-peers/portkey-${VERSION}`)
const PACKAGE = '@portkey-ai/gateway'
/** With later ones its streams fail: it adds to headers that they do not copy. */
const OVERRIDES = { '@hono/node-server': '1.13.8' }
const PROGRAM = join(FOLDER, 'node_modules', PACKAGE, 'build/start-server.js')

const PORTKEY: Peer = {
  name: `Portkey ${VERSION}`,
  does: 'forwards only; has no keys, limits or log',
  command: `"${process.execPath}" "${PROGRAM}" --port=$PORT --headless`,
  headers: (provider) => ({
    ...bearer(PEER_KEY),
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${provider}/v1`,
  }),
}

type OnProblem = (text: string) => void

/** Empty when npm cannot install it; the callback says why. */
export async function installPortkey(onProblem: OnProblem): Promise<Peer[]> {
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock']
  const args = ['install', '--prefix', FOLDER, ...options]
  try {
    if (!existsSync(PROGRAM)) {
      mkdirSync(FOLDER, { recursive: true })
      const wanted = { dependencies: { [PACKAGE]: VERSION }, overrides: OVERRIDES }
      writeFileSync(join(FOLDER, 'package.json'), JSON.stringify(wanted))
      await promisify(execFile)('npm', args, { timeout: 180_000 })
    }
    return [PORTKEY]
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    onProblem(`${PORTKEY.name} is not measured, npm cannot install it: ${text.trim().split('\n').at(-1)}`)
    return []
  }
}

interface PythonPeer {
  package: string
  peer(python: string): Peer
}

/** Its keys of users, limits and log are in PostgreSQL. */
const LITELLM: PythonPeer = {
  package: 'litellm[proxy]==1.106.2',
  peer: (python) => ({
    name: 'LiteLLM 1.106.2',
    does: 'one key, the cost of a call, an access line on stdout; limits and log need PostgreSQL',
    command: `"${python}" -c "from litellm import run_server; run_server()" --config "$CONFIG" --host 127.0.0.1 --port $PORT`,
    // Its list of prices would come from the network.
    env: { LITELLM_MODE: 'PRODUCTION', LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    config: (provider) =>
      JSON.stringify({
        model_list: [
          {
            model_name: 'gpt-5.4-mini',
            litellm_params: { model: 'openai/gpt-5.4-mini', api_base: `${provider}/v1`, api_key: PEER_KEY },
          },
        ],
        litellm_settings: { json_logs: true, telemetry: false },
        general_settings: { master_key: PEER_KEY },
      }),
  }),
}

/** The package has no program: its gateway is a library that serves HTTP from a Python process, on a port that it chooses. */
const SERVE = `import sys, threading, tensorzero
gateway = tensorzero._start_http_gateway(config_file=sys.argv[1], clickhouse_url=None, postgres_url=None, valkey_url=None, async_setup=False)
print('listening on', gateway.base_url.removesuffix('/openai/v1'), flush=True)
threading.Event().wait()`

const TENSORZERO: PythonPeer = {
  package: 'tensorzero==2026.6.0',
  peer: (python) => ({
    name: 'TensorZero 2026.6.0',
    does: 'forwards only; keys need PostgreSQL, limits that or Valkey, the log that or ClickHouse',
    command: `"${python}" -c "${SERVE}" "$CONFIG"`,
    env: { OPENAI_API_KEY: PEER_KEY },
    config: (provider) => `gateway.observability.enabled = false
[models.bench]
routing = ["openai"]
[models.bench.providers.openai]
type = "openai"
api_base = "${provider}/v1/"
model_name = "gpt-5.4-mini"
`,
    path: '/openai/v1/chat/completions',
    model: 'tensorzero::model_name::bench',
  }),
}

/** Those that pip can install; the callback says why it cannot. */
export function installPythonPeers(onProblem: OnProblem): Peer[] {
  return [LITELLM, TENSORZERO].flatMap(({ package: name, peer }) => {
    const installed = pythonWith(name)
    if ('python' in installed) return [peer(installed.python)]
    onProblem(`not measured: ${installed.missing}`)
    return []
  })
}
