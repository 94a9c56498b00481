import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '../../domain/errors.ts'
import { isUsable } from '../../domain/key.ts'
import type { KeyTemplate } from '../../domain/people/key-template.ts'
import { keyFromRow } from '../../store/control/keys.ts'
import {
  deleteTemplate,
  findTemplate,
  listPersonalKeys,
  listTemplates,
  putTemplate,
} from '../../store/control/people/personal-keys.ts'
import type { myKeyOperations } from '../contract/my-keys.ts'
import { change, type ManagementDeps } from '../deps.ts'
import type { HandlersOf } from '../router.ts'
import { checkStepDown, checkWorkspace } from '../workspaces.ts'
import { ownersOf, refuseManagedCaller } from './managed-callers.ts'

type Operations = Pick<typeof myKeyOperations, 'key-templates.list' | 'key-templates.put' | 'key-templates.delete'>

export function keyTemplateHandlers(deps: ManagementDeps): HandlersOf<Operations> {
  return {
    'key-templates.list': async () => {
      const owner = await ownersOf(deps.db, 'templates')
      const templates = await listTemplates(deps.db)
      return { data: templates.map((template) => ({ ...template, managed_by: owner(template.name) })) }
    },
    'key-templates.put': ({ params: { name }, body }, context) =>
      change(deps, context, async (transaction) => {
        const before = await findTemplate(transaction, name)
        context.checkMatch(before === null ? null : { ...before, managed_by: null })
        await refuseManagedCaller(transaction, 'templates', name)
        await checkWorkspace(transaction, body.workspace)
        await checkStepDown(transaction, body.workspace, body.limits)
        const after: KeyTemplate = { name, ...body }
        if (before === null) context.created()
        else if (isDeepStrictEqual(before, after)) return { result: { ...after, managed_by: null }, audit: null }
        if (before !== null && before.workspace !== body.workspace) {
          throw new GatewayError(
            'conflict',
            `workspace: keys of '${name}' are in '${before.workspace}'; make another template.`,
          )
        }
        await putTemplate(transaction, after, context.now)
        return { result: { ...after, managed_by: null }, audit: entry('key-templates.put', name, before, after) }
      }),
    'key-templates.delete': ({ params: { name } }, context) =>
      change(deps, context, async (transaction) => {
        const before = await findTemplate(transaction, name)
        if (before === null) throw new GatewayError('not_found', `There is no key template '${name}'.`)
        await refuseManagedCaller(transaction, 'templates', name)
        const keys = await listPersonalKeys(transaction, { template: name })
        const working = keys.filter((key) => isUsable(keyFromRow(key), context.now)).length
        if (working > 0)
          throw new GatewayError('conflict', `${working} working keys were made from '${name}'; revoke them first.`)
        await deleteTemplate(transaction, name)
        return { result: undefined, audit: entry('key-templates.delete', name, before, null) }
      }),
  }
}

function entry(action: string, name: string, before: KeyTemplate | null, after: KeyTemplate | null) {
  return { action, workspace: (after ?? before)?.workspace ?? null, resource: `key-templates/${name}`, before, after }
}
