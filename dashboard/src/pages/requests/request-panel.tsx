import { CloseButton, Group } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useId, useRef } from 'react'
import { DetailDrawer } from '../../components/detail-drawer.tsx'
import classes from './request-detail.module.css'
import { RequestDetail, useOpened } from './request-detail.tsx'
import { RequestHead, StepButtons, type StepButtonsProps } from './request-head.tsx'
import type { ListedRequest } from './use-requests.ts'

export interface RequestPanelProps extends StepButtonsProps {
  id: string
  /** What the list knows of it; undefined when it is not in the list. */
  listed: ListedRequest | undefined
  onClose: () => void
}

/** One request beside the list, which stays usable; where there is no room beside it, above it. */
export function RequestPanel(props: RequestPanelProps) {
  const isBeside = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  return isBeside ? <Beside {...props} /> : <Above {...props} />
}

function Beside({ id, listed, onClose, onNewer, onOlder }: RequestPanelProps) {
  const panel = useRef<HTMLElement>(null)
  const titleId = useId()
  const { request } = useOpened(id, listed)
  const body = useRef<HTMLElement>(null)
  useEffect(() => {
    panel.current?.focus({ preventScroll: true })
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another request is read from its top.
  useEffect(() => {
    // In braces: newer browsers return a promise here, which is no way to end an effect.
    body.current?.scrollTo(0, 0)
  }, [id])
  return (
    <aside ref={panel} className={classes['panel']} aria-labelledby={titleId} tabIndex={-1} data-request-panel>
      <Group className={classes['panelHead'] ?? ''} align="flex-start" justify="space-between" wrap="nowrap" gap="sm">
        <RequestHead id={id} request={request} titleId={titleId} />
        <Group gap={6} wrap="nowrap">
          <StepButtons onNewer={onNewer} onOlder={onOlder} />
          <CloseButton aria-label="Close" onClick={onClose} />
        </Group>
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section ref={body} className={classes['panelBody']} tabIndex={0} aria-label="Details of the request">
        <RequestDetail id={id} listed={listed} />
      </section>
    </aside>
  )
}

function Above({ id, listed, onClose, onNewer, onOlder }: RequestPanelProps) {
  const { request } = useOpened(id, listed)
  return (
    <DetailDrawer
      isOpen
      onClose={onClose}
      size={720}
      title={
        <Group align="flex-start" justify="space-between" wrap="nowrap" gap="sm">
          <RequestHead id={id} request={request} />
          <StepButtons onNewer={onNewer} onOlder={onOlder} />
        </Group>
      }
    >
      <RequestDetail id={id} listed={listed} />
    </DetailDrawer>
  )
}
