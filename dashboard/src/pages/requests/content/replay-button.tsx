import { Text } from '@mantine/core'
import { Play } from 'lucide-react'
import { useContext, useState } from 'react'
import { useLocation } from 'wouter'
import type { Reply } from '../../../api/client.ts'
import { SessionContext } from '../../../api/session.ts'
import { MayButton } from '../../../components/may-button.tsx'
import { storePrompt } from '../../../components/playground-draft.ts'
import type { ListedRequest } from '../use-requests.ts'
import { promptOf } from './replay.ts'

type Content = Reply<'requests.content'>

export interface ReplayButtonProps {
  request: ListedRequest
  /** Reads it, unless it has been read. */
  read: () => Promise<Content>
  isBusy: boolean
}

/** Takes what was said to the playground, beside a second model. */
export function ReplayButton({ request, read, isBusy }: ReplayButtonProps) {
  const session = useContext(SessionContext)?.session_id ?? null
  const [, navigate] = useLocation()
  const [problem, setProblem] = useState<string | null>(null)

  async function replay() {
    const { request: body } = await read()
    const prompt = body?.is_json === true ? promptOf(request.endpoint, JSON.parse(body.text)) : null
    if (prompt === null) {
      setProblem('This request can’t be replayed: it isn’t fully stored, or it isn’t a conversation.')
      return
    }
    storePrompt(session, request.workspace, prompt)
    const search = new URLSearchParams({ model: request.requested_model ?? '', against: '' })
    navigate(`/${encodeURIComponent(request.workspace)}/playground?${search}`)
  }

  return (
    <>
      <MayButton
        to="chat.try"
        variant="default"
        size="xs"
        leftSection={<Play size={14} aria-hidden />}
        loading={isBusy}
        // Why it cannot be read stands below.
        onClick={() => void replay().catch(() => undefined)}
      >
        Replay with another model
      </MayButton>
      {problem !== null && (
        <Text size="sm" c="dimmed" role="alert">
          {problem}
        </Text>
      )}
    </>
  )
}
