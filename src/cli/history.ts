import { changeWords } from '../domain/changes/change-words.ts'
import { CONTRACT } from '../management/contract/contract.ts'
import { type Command, type Given, text } from './command.ts'
import { withIds } from './named.ts'
import { printRows } from './print-reply.ts'
import { programName } from './program-name.ts'

const KINDS: Readonly<Record<string, string>> = {
  route: 'routes',
  key: 'keys',
  provider: 'providers',
  workspace: 'workspaces',
  model: 'registry',
}

/** Keys are audited by id, everything else by name. */
async function resourceOf({ positionals, client }: Given): Promise<string> {
  const [kind = '', name = ''] = positionals
  if (kind !== 'key') return `${KINDS[kind]}/${name}`
  const { params } = await withIds(CONTRACT['keys.get'], { params: { id: name }, query: {}, body: undefined }, client)
  return `keys/${params['id']}`
}

export const history: Command = {
  name: 'history',
  summary: 'List the versions of a route, key, provider, workspace or model, newest first',
  positionals: [{ name: 'KIND', values: Object.keys(KINDS) }, { name: 'NAME' }],
  options: {
    workspace: { type: 'string', placeholder: 'NAME', help: 'Workspace of the route; default: default' },
    limit: { type: 'string', placeholder: 'N', help: 'At most this many versions; default: 50' },
  },
  examples: ['switchyard history route fast', 'switchyard history key my-app', 'switchyard history provider local'],
  isRemote: true,
  async run(given) {
    const isRoute = given.positionals[0] === 'route'
    const reply = await given.client.call('audit.list', {
      query: {
        resource: await resourceOf(given),
        limit: Number(text(given, 'limit') ?? 50),
        ...(isRoute && { workspace: text(given, 'workspace') ?? 'default' }),
      },
    })
    const { output } = given
    if (output.isJson) output.json(reply)
    else {
      const rows = reply.data.map(({ id, at, actor_name: by, action, before, after }) => {
        const words = changeWords(before, after)
        const whole = before === null ? 'created' : after === null ? 'deleted' : action
        return { id, at, by, change: words.length === 0 ? whole : words.join('; ') }
      })
      printRows(rows, output)
      if (rows.length > 0) output.note(`Restore a version: ${programName()} restore ID`)
    }
    return 0
  },
}
