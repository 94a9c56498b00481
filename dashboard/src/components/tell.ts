import { notifications } from '@mantine/notifications'

const closeButtonProps = { 'aria-label': 'Dismiss' }

/** A change was made: said once, in the corner. */
export function tell(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: 4000, closeButtonProps })
}

export function tellError(message: string): void {
  notifications.show({ message, color: 'red', autoClose: 8000, closeButtonProps })
}
