# Reads TAP on standard input with TAP::Parser, and its subtests level by level; writes a JSON object a line.
use strict;
use warnings;
use JSON::PP;
use TAP::Parser;

my $json = JSON::PP->new->canonical->latin1(0)->utf8(0);

sub points {
    my ($text) = @_;
    my (@points, $inner, $plan, $bail);
    my $parser = TAP::Parser->new({ tap => $text });
    my $nested = '';
    while (my $result = $parser->next) {
        my $raw = $result->raw;
        if ($raw =~ /^    (.*)/s) { $nested .= "$1\n"; next }
        # A buffered subtest stands in braces behind its point.
        if ($raw =~ /^\}/ && @points) { $points[-1]{children} = (points($nested))[0]; $nested = ''; next }
        if ($result->is_bailout) { $bail = 1 }
        next unless $result->is_test;
        my $name = $result->description;
        $name =~ s/^- //;
        $name =~ s/ \{$//;
        my $directive = lc($result->directive || '');
        my $children = $nested eq '' ? [] : (points($nested))[0];
        $nested = '';
        push @points, { name => $name, number => $result->number, ok => $raw =~ /^ok\b/ ? \1 : \0,
            directive => $directive, children => $children };
    }
    my $good = $parser->is_good_plan && !grep { /plan|sequence/i } $parser->parse_errors;
    return (\@points, $good, $bail, $parser->tests_planned);
}

binmode STDIN;
my $text = do { local $/; <STDIN> };
my ($points, $good, $bail, $planned) = points($text);
print $json->encode({ what => 'test', %$_ }), "\n" for @$points;
print $json->encode({ what => 'end', good_plan => $good ? \1 : \0, bail => $bail ? \1 : \0, planned => $planned }), "\n";
