import { Button, type ButtonProps } from '@mantine/core'
import type { ComponentPropsWithoutRef } from 'react'
import { Link } from 'wouter'
import type { OperationName } from '../api/client.ts'
import { useRefusal } from '../api/session.ts'

type MayButtonProps = ButtonProps &
  Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> & {
    /** What it leads to: without the right to do it, the button is grey and says why. */
    to: OperationName
  }

export function MayButton({ to, disabled, title, ...rest }: MayButtonProps) {
  const refusal = useRefusal(to)
  return <Button {...rest} disabled={disabled === true || refusal !== undefined} title={refusal ?? title} />
}

/** The same for one that leads to a page. */
export function MayLink({ to, href, ...rest }: ButtonProps & { to: OperationName; href: string; children: string }) {
  const refusal = useRefusal(to)
  return refusal === undefined ? (
    <Button component={Link} href={href} {...rest} />
  ) : (
    <Button {...rest} disabled title={refusal} />
  )
}
