import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Check, Copy } from 'lucide-react'
import { callOrigin } from '../../../api/call-origin.ts'
import { useChange } from '../../../api/hooks.ts'
import { CopyAction } from '../../../components/copy.tsx'
import { curlOf } from '../curl.ts'
import type { ListedRequest } from '../use-requests.ts'
import { useHasContent } from './use-content.ts'

/** The same call as a command, with its messages where they are stored and may be read. */
export function CopyCurl({ request, model }: { request: ListedRequest; model: string }) {
  const hasContent = useHasContent(request.workspace)
  const read = useChange('requests.content')
  const clipboard = useClipboard({ timeout: 1500 })
  const curl = (stored?: string) => curlOf(callOrigin(), model, request.endpoint, stored)
  if (!hasContent) return <CopyAction value={curl()}>Copy as curl</CopyAction>

  async function copy() {
    const content = read.data ?? (await read.mutateAsync({ params: { id: request.id } }))
    clipboard.copy(curl(content.request?.is_json === true ? content.request.text : undefined))
  }

  return (
    <Button
      variant="default"
      size="xs"
      leftSection={clipboard.copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      loading={read.isPending}
      title="With the stored messages. Viewing them is recorded in the audit log."
      // Older than what is stored: the command without messages.
      onClick={() => void copy().catch(() => clipboard.copy(curl()))}
    >
      {clipboard.copied ? 'Copied' : 'Copy as curl'}
    </Button>
  )
}
