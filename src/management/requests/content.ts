import type { StoredBody, StoredContent } from '../../content/prepare.ts'
import { UnreadableContentError } from '../../content/seal.ts'
import { deleteContent, type FoundContent, findContent, openContent } from '../../content/stored.ts'
import { coversWorkspace } from '../../domain/access.ts'
import { GatewayError } from '../../domain/errors.ts'
import { timestamp } from '../contract/fields.ts'
import type { requestOperations } from '../contract/requests.ts'
import { changeBeside, type ManagementDeps } from '../deps.ts'
import type { Context, HandlersOf } from '../router.ts'

type ContentOperations = Pick<typeof requestOperations, 'requests.content' | 'requests.delete-content'>

/** Stored prompts and answers. Every read is recorded: the audit row is written before the answer. */
export function contentHandlers(deps: ManagementDeps): HandlersOf<ContentOperations> {
  const settingsOf = (workspace: string) => deps.snapshot().workspaces.get(workspace)?.content ?? null

  async function existingContent(id: string, { access, now }: Context): Promise<FoundContent> {
    await deps.contentWritten()
    const found = await findContent(deps.reads, id, { settingsOf, now })
    if (found === null || !coversWorkspace(access, found.workspace))
      throw new GatewayError('not_found', `No content of a request '${id}' is stored.`)
    return found
  }

  function opened(found: FoundContent): StoredContent | null {
    try {
      return openContent(found, deps.secrets.contentKeys)
    } catch (error) {
      if (!(error instanceof UnreadableContentError)) throw error
      throw new GatewayError('conflict', `The content of '${found.id}' cannot be read: ${error.message}.`)
    }
  }

  return {
    'requests.content': async ({ params: { id } }, context) => {
      const found = await existingContent(id, context)
      const result = contentView(found, opened(found))
      return changeBeside(deps, context, async () => ({ result, audit: auditEntry('requests.content', id, found) }))
    },
    'requests.delete-content': async ({ params: { id } }, context) => {
      const found = await existingContent(id, context)
      await changeBeside(deps, context, async (transaction) => {
        const isDeleted = await deleteContent(transaction, id)
        return { result: undefined, audit: isDeleted ? auditEntry('requests.delete-content', id, found) : null }
      })
    },
  }
}

function auditEntry(action: string, id: string, { workspace }: Pick<FoundContent, 'workspace'>) {
  return { action, workspace, resource: `requests/${id}`, before: null, after: null }
}

function contentView(found: FoundContent, content: StoredContent | null) {
  const { id, workspace, storedAt, expiresAt, dropped } = found
  return {
    id,
    workspace,
    stored_at: timestamp(storedAt),
    expires_at: timestamp(expiresAt),
    endpoint: content?.endpoint ?? null,
    request: bodyView(content?.request),
    answer: bodyView(content?.answer),
    redacted: content?.redacted ?? {},
    dropped,
  }
}

function bodyView(body: StoredBody | null | undefined) {
  if (body === null || body === undefined) return null
  const { text, bytes, isJson, isCut } = body
  return { text, is_json: isJson, bytes, truncated: isCut }
}
