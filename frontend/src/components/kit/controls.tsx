// Buttons, fields, menus and dialogs: react-aria's behaviour in Clew's looks.
import type { ReactNode } from "react";
import {
  Button as AriaButton,
  Dialog,
  Heading,
  Label,
  ListBox,
  ListBoxItem,
  Menu,
  MenuItem,
  MenuTrigger,
  Modal as AriaModal,
  ModalOverlay,
  Popover,
  Select,
  SelectValue,
  Tooltip,
  TooltipTrigger,
  type ButtonProps as AriaButtonProps,
  type Key,
} from "react-aria-components";
import { Icon, type IconName } from "./Icon";

export interface ButtonProps extends Omit<AriaButtonProps, "className" | "children"> {
  look?: "primary" | "plain" | "danger" | "link" | undefined;
  size?: "small" | undefined;
  icon?: IconName;
  /** For a button that shows only its icon: its name, also shown as a tip. */
  label?: string;
  /** The key that does the same, shown in the tip. */
  hint?: string;
  className?: string;
  children?: ReactNode;
}

export function Button({ look, size, icon, label, hint, className = "", children, ...props }: ButtonProps) {
  const classes = ["btn", look, size, children === undefined ? "icon" : "", className]
    .filter(Boolean)
    .join(" ");
  const button = (
    <AriaButton {...props} {...(label && { "aria-label": label })} className={classes}>
      {icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  );
  if (!label) return button;
  return (
    <Tip text={label} hint={hint}>
      {button}
    </Tip>
  );
}

/** A small button that shows only its icon; its name is `label`. */
export function IconButton(props: ButtonProps & Required<Pick<ButtonProps, "icon" | "label">>) {
  return <Button look="plain" size="small" {...props} />;
}

export function Tip({
  text,
  hint,
  children,
}: {
  text: string;
  hint?: string | undefined;
  children: ReactNode;
}) {
  return (
    <TooltipTrigger delay={500} closeDelay={60}>
      {children}
      <Tooltip className="tip" offset={6}>
        {text}
        {hint && ` (${hint})`}
      </Tooltip>
    </TooltipTrigger>
  );
}

export interface Option {
  id: string;
  label: string;
  detail?: string | undefined;
  end?: string | undefined;
  disabled?: boolean | undefined;
}

/** Things of the server as options, by their names. */
export const named = (things: readonly { id: string | number; name: string }[]): Option[] =>
  things.map(({ id, name }) => ({ id: String(id), label: name }));

interface PickProps {
  label: string;
  showLabel?: boolean;
  options: readonly Option[];
  value: string | number | null | undefined;
  onChange: (id: string) => void;
  placeholder?: string;
  /** What the open list says while it has no options, for example because they are still coming. */
  whenEmpty?: string;
  className?: string;
  isDisabled?: boolean;
}

/** A drop-down of one choice. It opens before its options are there, and shows them as they come. */
export function Pick({
  label,
  showLabel,
  options,
  value,
  onChange,
  placeholder,
  whenEmpty = "There is nothing to choose from.",
  className,
  isDisabled,
}: PickProps) {
  return (
    <Select
      allowsEmptyCollection
      className={`field ${className ?? ""}`}
      {...(!showLabel && { "aria-label": label })}
      value={value == null ? null : String(value)}
      onChange={(key: Key | null) => {
        if (key !== null) onChange(String(key));
      }}
      placeholder={placeholder ?? label}
      isDisabled={isDisabled ?? false}
    >
      {showLabel && <Label className="label">{label}</Label>}
      <AriaButton className="select-btn">
        <SelectValue />
        <Icon name="down" />
      </AriaButton>
      <Popover className="popover fit">
        <ListBox
          className="listbox"
          items={options}
          renderEmptyState={() => <p className="list-empty">{whenEmpty}</p>}
          disabledKeys={options.filter((option) => option.disabled).map((option) => option.id)}
        >
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.label} className="item">
              <span className="two">
                <span>
                  <bdi>{option.label}</bdi>
                </span>
                {option.detail && <small slot="description">{option.detail}</small>}
              </span>
              {option.end && (
                <span className="end tabular" slot="description">
                  {option.end}
                </span>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}

/** The same with its label above it. */
export function PickField(props: PickProps) {
  return <Pick {...props} showLabel />;
}

export interface Act {
  id: string;
  label: string;
  icon?: IconName;
  end?: string;
  bad?: boolean;
  checked?: boolean;
  onAction: () => void;
}

interface ActMenuProps {
  label: string;
  /** What cannot be done now is left out. */
  acts: readonly (Act | false | null | undefined | "")[];
  /** What opens it; without one, three dots do. */
  trigger?: ReactNode;
}

export function ActMenu({ label, acts, trigger }: ActMenuProps) {
  return (
    <MenuTrigger>
      {trigger ?? <Button look="plain" size="small" icon="more" aria-label={label} />}
      <Popover className="popover" placement="bottom end">
        <ActList label={label} acts={acts.filter((act): act is Act => Boolean(act))} />
      </Popover>
    </MenuTrigger>
  );
}

export function ActList({
  label,
  acts,
  autoFocus,
}: {
  label: string;
  acts: readonly Act[];
  autoFocus?: boolean;
}) {
  return (
    <Menu
      className="menu"
      aria-label={label}
      autoFocus={autoFocus ? "first" : false}
      onAction={(key) => acts.find((act) => act.id === key)?.onAction()}
    >
      {acts.map((act) => (
        <MenuItem key={act.id} id={act.id} textValue={act.label} className={`item ${act.bad ? "bad" : ""}`}>
          {act.icon && <Icon name={act.icon} />}
          <span>
            <bdi>{act.label}</bdi>
            {act.checked && <span className="sr-only"> (chosen)</span>}
          </span>
          {act.checked !== undefined && (
            <span className={`tick ${act.checked ? "on" : ""}`}>
              <Icon name="check" />
            </span>
          )}
          {act.end && <span className="end">{act.end}</span>}
        </MenuItem>
      ))}
    </Menu>
  );
}

/** What a dialog is told by who opens it. */
export interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
}

interface ModalProps extends DialogProps {
  title: string;
  wide?: boolean;
  /** An alert asks before something is lost. */
  role?: "dialog" | "alertdialog";
  children: ReactNode;
}

export function Modal({ title, isOpen, onClose, wide, role = "dialog", children }: ModalProps) {
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <AriaModal className={`modal ${wide ? "wide" : ""}`}>
        <Dialog className="dialog" role={role}>
          <div className="row">
            <Heading slot="title" level={2} className="grow">
              {title}
            </Heading>
            <Button look="plain" size="small" icon="close" aria-label="Close" onPress={onClose} />
          </div>
          {children}
        </Dialog>
      </AriaModal>
    </ModalOverlay>
  );
}
