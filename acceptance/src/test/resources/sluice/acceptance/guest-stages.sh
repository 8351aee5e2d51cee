# Stages of a guest, which /mnt/given/settings names in STAGES. Sourced by the guest's sh.

now() { cut -d' ' -f1 /proc/uptime; }

# stage NAME COMMAND…: runs one that is named; its output is shown when it fails.
stage() {
  case " $STAGES " in *" $1 "*) ;; *) return ;; esac
  name=$1
  shift
  from=$(now)
  ("$@") >/tmp/output 2>&1
  code=$?
  to=$(now)
  echo "RESULT $name $code $(echo "$from $to" | awk '{ printf "%.2f", $2 - $1 }')"
  if [ $code -ne 0 ]; then tail -n 25 /tmp/output | cut -c1-200; fi
}
