# A tiny test script. It prints TAP: a plan, then a line for each test, and for a failing one why.
. ./shop.sh

equal() { # NUMBER NAME EXPECTED ACTUAL
  if [ "$3" = "$4" ]; then
    echo "ok $1 - $2"
  else
    echo "not ok $1 - $2"
    echo "  ---"
    echo "  operator: equal"
    echo "  expected: $3"
    echo "  actual: $4"
    echo "  ..."
    failed=1
  fi
}

echo "TAP version 13"
echo "1..2"
command -v discounted >/dev/null || { echo "Bail out! shop.sh has no function discounted"; exit 1; }
equal 1 "ten percent off" 90 "$(discounted 100 10)"
equal 2 "no discount" 100 "$(discounted 100 0)"
exit ${failed:-0}
